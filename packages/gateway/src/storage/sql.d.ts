// Schemas are imported as text, which also works in the compiled executable.
declare module '*.sql' {
  const text: string
  export default text
}
