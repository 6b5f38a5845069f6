/** Shared by the generator and by the check that the committed client is what it makes. */
export const plugins = [
  '@hey-api/client-fetch',
  '@hey-api/typescript',
  '@hey-api/sdk',
  { name: '@tanstack/react-query', mutationOptions: false, infiniteQueryOptions: false },
];
