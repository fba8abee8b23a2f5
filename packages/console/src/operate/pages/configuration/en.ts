export const configuration = {
  title: 'Configuration',
}
