/** How to run this program, for messages with commands to paste: a compiled executable contains its script. */
export const PROGRAM = Bun.main.startsWith('/$bunfs/') ? 'trivium' : 'npx trivium'
/** How the server is started. */
export const START = Bun.main.startsWith('/$bunfs/') ? 'trivium serve' : 'npm start'
