/**
 * The official TypeScript client against an application's MCP server: lists its tools, searches, asks.
 *
 *   node e2e/mcpClient.mjs URL KEY QUERY          over Streamable HTTP
 *   node e2e/mcpClient.mjs --stdio QUERY COMMAND ARG…   a command of this machine
 *
 * Prints JSON. Shares no code with the server.
 */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [first, second, third, ...rest] = process.argv.slice(2);
const overStdio = first === '--stdio';
const query = overStdio ? second : third;
const transport = overStdio
  ? new StdioClientTransport({ command: third, args: rest, env: process.env })
  : new StreamableHTTPClientTransport(new URL(first), {
      requestInit: { headers: { Authorization: `Bearer ${second}` } },
    });
const client = new Client({ name: 'e2e', version: '1' });
await client.connect(transport);
const { tools } = await client.listTools();
const found = await client.callTool({ name: 'search_documents', arguments: { query } });
const answer = await client.callTool({ name: 'ask_application', arguments: { question: query } });
const wrong = await client.callTool({ name: 'search_documents', arguments: {} });
console.log(
  JSON.stringify({
    server: client.getServerVersion()?.name,
    tools: tools.map((tool) => tool.name),
    found: found.structuredContent,
    answer: answer.structuredContent,
    wrong: { isError: wrong.isError, text: wrong.content[0].text },
  }),
);
await client.close();
