export const margin = {
  title: 'Margin',
}
