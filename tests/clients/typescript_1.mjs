// The TypeScript SDK 1.x.
import { Ears, MCP_DEAF, MCP_URL, obey, requestInit, require, say } from './obey.mjs';

const { Client } = require('@modelcontextprotocol/sdk/client/index.js');
const { StreamableHTTPClientTransport } = require('@modelcontextprotocol/sdk/client/streamableHttp.js');
const { ToolListChangedNotificationSchema } = require('@modelcontextprotocol/sdk/types.js');

const ears = new Ears();
const client = new Client({ name: 'typescript-1', version: '0' }, { capabilities: {} });
if (!MCP_DEAF) client.setNotificationHandler(ToolListChangedNotificationSchema, () => ears.hear());
const transport = new StreamableHTTPClientTransport(new URL(MCP_URL), { requestInit });
await client.connect(transport);
say({ protocol: transport.protocolVersion, hasSession: transport.sessionId !== undefined });
await obey(client, ears);
await client.close();
