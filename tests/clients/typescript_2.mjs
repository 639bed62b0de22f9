// The TypeScript SDK 2.x. MCP_MODE: legacy, auto, or a stateless revision to insist on.
import { Ears, MCP_DEAF, MCP_MODE, MCP_URL, obey, requestInit, require, say } from './obey.mjs';

const { Client, StreamableHTTPClientTransport } = require('@modelcontextprotocol/client');

const mode = ['legacy', 'auto'].includes(MCP_MODE) ? MCP_MODE : { pin: MCP_MODE };
const ears = new Ears();
const client = new Client({ name: 'typescript-2', version: '0' }, { versionNegotiation: { mode } });
if (!MCP_DEAF) client.setNotificationHandler('notifications/tools/list_changed', () => ears.hear());
const transport = new StreamableHTTPClientTransport(new URL(MCP_URL), { requestInit });
await client.connect(transport);
say({ protocol: client.getNegotiatedProtocolVersion(), hasSession: transport.sessionId !== undefined });
await obey(client, ears, async () => {
  const before = ears.count;
  const subscription = await client.listen({ toolsListChanged: true });
  await subscription.closed;
  return (await ears.wait(before, 0.1)) - before;
});
await client.close();
