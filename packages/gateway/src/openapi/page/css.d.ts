// Styles are imported as text, which also works in the compiled executable.
declare module '*.css' {
  const text: string
  export default text
}
