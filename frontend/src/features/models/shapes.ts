/** The protocols of rerank servers, the most common first. */
export const shapes = ['vllm', 'jina', 'cohere', 'tei'] as const;
export type Shape = (typeof shapes)[number];
