import { plugins } from './openapi-ts.plugins.mjs';

export default { input: './openapi.json', output: { path: './src/api/generated', clean: true }, plugins };
