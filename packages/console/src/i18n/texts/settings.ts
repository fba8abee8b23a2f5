import { en, texts } from '../say.ts'

export const settings = texts({
  title: en('Settings').zh('设置'),
  account: {
    title: en('Account').zh('账户'),
    name: en('Name').zh('名称'),
    nameMissing: en('Enter a name.').zh('请输入名称。'),
    renamed: en('Name saved.').zh('名称已保存。'),
    role: en('Your role').zh('您的角色'),
    roles: {
      owner: en('Owner').zh('所有者'),
      member: en('Member: own keys and usage').zh('成员：仅自己的密钥和用量'),
    },
    email: en('Email').zh('邮箱'),
    verified: en('Verified').zh('已验证'),
    unverified: en('Not verified').zh('未验证'),
    resend: en('Send link').zh('发送验证链接'),
    resent: en('A verification link has been sent.').zh('验证链接已发送。'),
    created: en('Created').zh('创建时间'),
    id: en('Account ID').zh('账户 ID'),
  },
  members: {
    title: en('People').zh('成员'),
    text: en('People who can use this account. A cap limits what all keys of a member can spend together.').zh(
      '可以使用此账户的人。上限是一名成员的所有密钥合计可消费的金额。',
    ),
    ownText: en('An owner of the account has set this cap on all your keys together.').zh(
      '账户所有者为您设置的上限，您的所有密钥合计计算。',
    ),
    roles: {
      owner: en('Owner').zh('所有者'),
      member: en('Member').zh('成员'),
    },
    noCap: en('no cap').zh('无上限'),
    cap: en('cap').zh('上限'),
    left: en('left:').zh('剩余：'),
    spentThisMonth: en('spent this month:').zh('本月消费：'),
    spentInAll: en('in total:').zh('累计：'),
    change: en('Set cap and tags').zh('设置上限和标签'),
    changeOf: en((email: string) => `Set cap and tags of ${email}`).zh((email: string) => `设置 ${email} 的上限和标签`),
    capHint: en('Applies to all keys that the member created. Leave empty for no cap.').zh(
      '适用于该成员创建的所有密钥。留空表示无上限。',
    ),
    saved: en((email: string) => `Cap and tags of ${email} saved.`).zh(
      (email: string) => `已保存 ${email} 的上限和标签。`,
    ),
    actionsOf: en((email: string) => `Actions for ${email}`).zh((email) => `${email} 的操作`),
    remove: {
      open: en('Remove').zh('移除'),
      title: en((email: string) => `Remove ${email} from this account?`).zh((email) => `将 ${email} 移出此账户？`),
      text: en('The person loses access immediately, and the keys that they created stop working.').zh(
        '此人将立即失去访问权限，其创建的密钥也会失效。',
      ),
      keep: en('Keep their keys working').zh('让其密钥继续有效'),
      keepHint: en('The keys stay with the account; an owner can rotate or delete them.').zh(
        '密钥归账户所有，所有者可以轮换或删除。',
      ),
      submit: en('Remove').zh('移除'),
      done: en((email: string) => `${email} is removed.`).zh((email) => `已移除 ${email}。`),
    },
    invite: {
      open: en('Invite').zh('邀请'),
      title: en('Invite someone to this account').zh('邀请他人加入此账户'),
      email: en('Email address').zh('邮箱'),
      emailHint: en('Only this address can accept. Leave empty to let anyone with the link accept.').zh(
        '填写后只有此邮箱可以接受邀请；不填则持有链接的人都可以接受。',
      ),
      role: en('Role in this account').zh('在此账户中的角色'),
      roleHints: {
        member: en('Creates their own keys and sees what those spend.').zh(
          '可以创建自己的密钥，并查看这些密钥的消费。',
        ),
        owner: en('Can do everything in this account, as you can.').zh('与您一样，可以在此账户中执行所有操作。'),
      },
      submit: en('Create link').zh('生成链接'),
      made: en('The invitation is ready').zh('邀请已生成'),
      mailed: en(
        (email: string) => `The link was sent to ${email}. You can also pass it on yourself. It works once.`,
      ).zh((email) => `链接已发送至 ${email}。您也可以自行转交；链接只能使用一次。`),
      sendLink: en('Send this link to the person. It works once, and is not shown again.').zh(
        '请将此链接发给对方。链接只能使用一次，之后不再显示。',
      ),
      sendLinkTo: en((email: string) => `Send this link to ${email}. It works once, and is not shown again.`).zh(
        (email) => `请将此链接发给 ${email}。链接只能使用一次，之后不再显示。`,
      ),
      link: en('Invitation link').zh('邀请链接'),
      until: en('Valid until').zh('有效期至'),
      close: en('Done').zh('完成'),
      leave: en('Leave without the link?').zh('尚未复制链接，确定离开吗？'),
      leaveText: en('It is not shown again. You can revoke the invitation and create another.').zh(
        '链接不会再次显示。您可以撤回此邀请并重新生成。',
      ),
      openOnes: en('Open invitations').zh('未接受的邀请'),
      anyone: en('Anyone with the link').zh('持有链接的人'),
      revoke: en('Revoke').zh('撤回'),
      revokeOf: en((email: string) => `Revoke the invitation of ${email}`).zh((email) => `撤回对 ${email} 的邀请`),
      revoked: en('The invitation is revoked.').zh('邀请已撤回。'),
    },
  },
  password: {
    title: en('Password').zh('密码'),
    text: en('Changing the password signs out all other browsers.').zh('更改密码会使其他所有浏览器退出登录。'),
    setText: en('This account has no password yet. Choose one so that you can sign in again.').zh(
      '此账户还没有密码。请设置密码，以便下次登录。',
    ),
    current: en('Current password').zh('当前密码'),
    change: en('Change password').zh('更改密码'),
    set: en('Set password').zh('设置密码'),
    done: en('Password changed. All other browsers are signed out.').zh('密码已更改。其他所有浏览器已退出登录。'),
    wrong: en('The current password is wrong.').zh('当前密码错误。'),
  },
  sessions: {
    title: en('Sessions').zh('会话'),
    text: en('Browsers that are signed in to this account.').zh('已登录此账户的浏览器。'),
    browser: en('Browser').zh('浏览器'),
    address: en('IP address').zh('IP 地址'),
    signedIn: en('Signed in').zh('登录时间'),
    lastSeen: en('Last active').zh('最近活动'),
    current: en('This browser').zh('此浏览器'),
    signOut: en('Sign out').zh('退出登录'),
    signOutOf: en((browser: string) => `Sign out ${browser}`).zh((browser) => `退出 ${browser} 上的登录`),
    everywhere: en('Sign out everywhere').zh('退出所有设备'),
    everywhereQuestion: en('Sign out everywhere?').zh('退出所有设备？'),
    everywhereText: en('All browsers are signed out of this account, this one too. API keys keep working.').zh(
      '所有浏览器（包括此浏览器）都会退出登录。API 密钥继续有效。',
    ),
    signedOut: en('Signed out.').zh('已退出登录。'),
    unknown: en('Unknown browser').zh('未知浏览器'),
  },
  secondFactor: {
    title: en('Two-factor authentication').zh('双重验证'),
    text: en('A code from an authenticator app, in addition to your password.').zh(
      '登录时除密码外，还需要身份验证器应用中的验证码。',
    ),
    on: en('On').zh('已开启'),
    off: en('Off').zh('未开启'),
    begin: en('Set up').zh('设置'),
    remove: en('Turn off').zh('关闭'),
    needsPassword: en('Set a password first.').zh('请先设置密码。'),
    scan: en('Scan this QR code with an authenticator app, or enter the key manually.').zh(
      '请用身份验证器应用扫描此二维码，或手动输入密钥。',
    ),
    qr: en('QR code for the authenticator app').zh('身份验证器应用的二维码'),
    key: en('Key').zh('密钥'),
    code: en('Code from the app').zh('应用中的验证码'),
    password: en('Your password').zh('您的密码'),
    confirm: en('Turn on').zh('开启'),
    wrongPassword: en('The password is wrong.').zh('密码错误。'),
    codes: en('Recovery codes').zh('恢复代码'),
    codesText: en('Each code works once, in place of the app. Store them now: they are not shown again.').zh(
      '每个代码可代替应用使用一次。请立即保存：它们不会再次显示。',
    ),
    leave: en('Leave without storing the recovery codes?').zh('尚未保存恢复代码，确定离开吗？'),
    leaveText: en(
      'The codes are lost: they cannot be shown again. Without them you cannot sign in if you lose your phone.',
    ).zh('恢复代码将丢失，无法再次显示。如果手机遗失，没有恢复代码将无法登录。'),
    stored: en('I have stored them').zh('我已保存'),
    turnedOn: en('Two-factor authentication is on.').zh('双重验证已开启。'),
    turnedOff: en('Two-factor authentication is off.').zh('双重验证已关闭。'),
    removeQuestion: en('Turn off two-factor authentication?').zh('关闭双重验证？'),
    removeText: en('Your password alone will be enough to sign in. Your recovery codes stop working.').zh(
      '之后只需密码即可登录。恢复代码将失效。',
    ),
    anyCode: en('Code from the app, or a recovery code').zh('应用中的验证码，或一个恢复代码'),
  },
  appearance: {
    title: en('Language and theme').zh('语言与主题'),
    language: en('Language').zh('语言'),
    theme: en('Theme').zh('主题'),
  },
})
