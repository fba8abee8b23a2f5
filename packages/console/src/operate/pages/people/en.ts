export const people = {
  title: 'People',
}
