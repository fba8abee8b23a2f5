export const auditLog = {
  title: 'Audit log',
}
