/** How this program is called, for messages that are meant to be pasted: a compiled executable carries its own script. */
export const PROGRAM = Bun.main.startsWith('/$bunfs/') ? 'trivium' : 'npm run -s trivium --'
/** How the server is started. */
export const START = Bun.main.startsWith('/$bunfs/') ? 'trivium serve' : 'npm start'
