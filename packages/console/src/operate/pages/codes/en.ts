export const codes = {
  title: 'Codes',
}
