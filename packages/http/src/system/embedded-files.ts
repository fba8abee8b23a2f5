// The files inside a compiled executable (`npm run build`). There are none where the program runs from its sources.

const files = new Map(Bun.embeddedFiles.map((file) => [(file as File).name, file]))

/** undefined: the program runs from its sources. */
export const embeddedFile = (name: string): Blob | undefined => files.get(name)

export const embeddedNames = (): Iterable<string> => files.keys()
