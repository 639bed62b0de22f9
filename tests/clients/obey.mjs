// What both TypeScript drivers share: a line of JSON says what to do, a line of JSON answers. The words are those of
// tests/acceptance/driver.py.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';

export const { MCP_URL, MCP_TOKEN, MCP_MODE, MCP_DEAF, MCP_NPM } = process.env;
export const require = createRequire(`${MCP_NPM}/`);
export const requestInit = { headers: { Authorization: `Bearer ${MCP_TOKEN}` } };

export class Ears {
  count = 0;
  #waiting = new Set();

  hear() {
    this.count += 1;
    for (const wake of this.#waiting) wake();
  }

  /** How many list changes were heard, once it is more than `beyond` or after so many seconds. */
  wait(beyond, seconds) {
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        this.#waiting.delete(look);
        resolve(this.count);
      };
      const look = () => this.count > beyond && finish();
      const timer = setTimeout(finish, seconds * 1000);
      this.#waiting.add(look);
      look();
    });
  }
}

export const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`);

/** Obey standard input until it ends. `listen`: one subscription; answers how many list changes it brought. */
export async function obey(client, ears, listen) {
  const words = {
    list: async () => (await client.listTools()).tools,
    call: async ({ name, arguments: given }) => {
      try {
        return await client.callTool({ name, arguments: given });
      } catch (error) {
        if (typeof error.code !== 'number') throw error;
        return { rpcError: { code: error.code, message: error.message } };
      }
    },
    heard: ({ beyond, seconds }) => ears.wait(beyond, seconds),
    listen,
  };
  for await (const line of createInterface({ input: process.stdin })) {
    const request = JSON.parse(line);
    say(await words[request.do](request));
  }
}
