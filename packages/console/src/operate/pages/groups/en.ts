export const groups = {
  title: 'Groups',
}
