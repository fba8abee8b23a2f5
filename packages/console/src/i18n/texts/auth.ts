// Sign-up, sign-in, links from emails and the set-up link.

import { en, type Said, texts } from '../say.ts'

export const auth = texts({
  email: en('Email').zh('邮箱'),
  password: en('Password').zh('密码'),
  newPassword: en('New password').zh('新密码'),
  passwordRule: en((min: number) => `At least ${min} characters`).zh((min) => `至少 ${min} 个字符`),
  passwordShort: en((min: number) => `Use at least ${min} characters.`).zh((min) => `请至少使用 ${min} 个字符。`),
  passwordLong: en((max: number) => `Use at most ${max} characters.`).zh((max) => `最多 ${max} 个字符。`),
  emailMissing: en('Enter your email address.').zh('请输入邮箱。'),
  emailInvalid: en('Enter an email address such as ada@example.com.').zh('请输入有效的邮箱，例如 ada@example.com。'),
  passwordMissing: en('Enter your password.').zh('请输入密码。'),
  signUp: {
    title: en('Create your account').zh('创建账户'),
    offer: en((credit: string) => `You get ${credit} USD of trial credit. No payment details needed.`).zh(
      (credit) => `注册即得 ${credit} USD 试用额度，无需付款信息。`,
    ),
    noOffer: en('One key for every model.').zh('一个密钥，调用所有模型。'),
    submit: en('Create account').zh('创建账户'),
    haveAccount: en('Have an account?').zh('已有账户？'),
    signIn: en('Sign in').zh('登录'),
    done: en((credit: string) => `Account created. Your wallet has ${credit} USD of trial credit.`).zh(
      (credit) => `账户已创建。钱包中有 ${credit} USD 试用额度。`,
    ),
    doneWithoutCredit: en('Account created. It has no trial credit, because today’s budget is used up.').zh(
      '账户已创建。今天的试用额度已用完，此账户没有试用额度。',
    ),
    closed: en('Registration is closed').zh('注册已关闭'),
    closedText: en('Ask the operator of this gateway for an account.').zh('请向运营人员申请账户。'),
    contact: en('Contact the operator').zh('联系运营人员'),
  },
  signIn: {
    title: en((name: string) => `Sign in to ${name}`).zh((name) => `登录 ${name}`),
    submit: en('Sign in').zh('登录'),
    forgot: en('Forgot password?').zh('忘记密码？'),
    noAccount: en('No account yet?').zh('还没有账户？'),
    signUp: en('Create one').zh('创建账户'),
    wrong: en('Email address or password is wrong.').zh('邮箱或密码错误。'),
    noForgot: en('Forgot your password? Ask the operator.').zh('忘记密码？请联系运营人员。'),
    with: en((provider: string) => `Sign in with ${provider}`).zh((provider) => `使用 ${provider} 登录`),
    usePassword: en('Sign in with a password').zh('使用密码登录'),
    or: en('or').zh('或'),
    refused: {
      unavailable: en('The provider cannot be reached at the moment. Try again later.').zh(
        '暂时无法连接身份提供方，请稍后重试。',
      ),
      expired: en('This sign-in took too long, or was started in another browser. Try again.').zh(
        '登录超时，或是在另一个浏览器中发起的。请重试。',
      ),
      cancelled: en('The sign-in was cancelled.').zh('登录已取消。'),
      unverified_address: en('The provider has not verified your email address. Ask its administrator.').zh(
        '身份提供方尚未验证您的邮箱。请联系该提供方的管理员。',
      ),
      foreign_domain: en('Your email address does not belong to a domain that may sign in here.').zh(
        '您的邮箱所属的域名不能在此登录。',
      ),
      not_invited: en('You have no account here. Ask the operator of this gateway for an invitation.').zh(
        '您在这里没有账户。请向运营人员申请邀请。',
      ),
      unproved_address: en(
        'An account with your email address exists, but the address was never verified. Ask the operator of this gateway.',
      ).zh('使用您邮箱的账户已存在，但该邮箱从未验证。请联系运营人员。'),
      taken_address: en(
        'An account with this email address exists or existed, perhaps in another spelling. Ask the operator.',
      ).zh('使用此邮箱（或其他写法）的账户已存在或曾经存在。请联系运营人员。'),
      disabled: en('Your access is disabled, or you have no account. Ask the operator of this gateway.').zh(
        '您的账户已停用或不存在。请联系运营人员。',
      ),
      busy: en('Too many people are signing in. Try again in a few minutes.').zh('登录人数过多。请几分钟后重试。'),
      failed: en('The response of the provider was not accepted. Try again, or ask the operator of this gateway.').zh(
        '身份提供方的响应无效。请重试，或联系运营人员。',
      ),
    },
  },
  again: {
    title: en('Sign in again').zh('重新登录'),
    ended: en('Your session has ended. Sign in again to continue.').zh('会话已结束，请重新登录后继续。'),
    text: en((email: string) => `Your session has ended. Sign in as ${email} to continue. What you typed is kept.`).zh(
      (email) => `会话已结束。请以 ${email} 重新登录后继续，已填写的内容会保留。`,
    ),
    submit: en('Sign in').zh('登录'),
    other: en('Use another account').zh('使用其他账户'),
    wrong: en('The password is wrong.').zh('密码错误。'),
  },
  secondFactor: {
    title: en('Two-factor authentication').zh('双重验证'),
    text: en('Enter the 6-digit code from your authenticator app, or a recovery code.').zh(
      '请输入身份验证器应用中的 6 位验证码，或一个恢复代码。',
    ),
    code: en('Code').zh('验证码'),
    submit: en('Continue').zh('继续'),
    wrong: en('This code is wrong or has already been used.').zh('验证码错误，或已被使用。'),
    missing: en('Enter the code.').zh('请输入验证码。'),
    useRecovery: en('Use a recovery code').zh('使用恢复代码'),
    useApp: en('Use the authenticator app').zh('使用身份验证器应用'),
    back: en('Use another account').zh('使用其他账户'),
  },
  forgot: {
    title: en('Reset your password').zh('重置密码'),
    text: en('Enter the email address of your account. If it exists, we send a link for choosing a new password.').zh(
      '请输入注册时使用的邮箱。如果账户存在，我们会发送用于设置新密码的链接。',
    ),
    submit: en('Send link').zh('发送链接'),
    sent: en('Check your email').zh('请查收邮件'),
    sentText: en(
      (email: string) => `If an account with ${email} exists, a link has been sent. It is valid for one hour.`,
    ).zh((email) => `如果 ${email} 已注册，重置链接已发送，一小时内有效。`),
    back: en('Back to sign-in').zh('返回登录'),
    off: en('This gateway does not send email. Ask the operator to reset your password.').zh(
      '此网关不发送邮件。请联系运营人员重置密码。',
    ),
  },
  reset: {
    title: en('Choose a new password').zh('设置新密码'),
    submit: en('Set password').zh('设置密码'),
    done: en('Password changed. Sign in with the new one.').zh('密码已更改。请使用新密码登录。'),
  },
  verify: {
    title: en('Verify your email address').zh('验证邮箱'),
    working: en('Verifying your email address').zh('正在验证邮箱'),
    done: en('Email address verified').zh('邮箱已验证'),
    doneText: en('You can close this page, or go to the console.').zh('您可以关闭此页面，或前往控制台。'),
    open: en('Go to the console').zh('前往控制台'),
  },
  setup: {
    working: en('Signing you in').zh('正在登录'),
    done: en('You are signed in. Choose a password so that you can sign in again.').zh(
      '您已登录。请设置密码，以便下次登录。',
    ),
    changed: en('Password changed. You are signed in; all other browsers are signed out.').zh(
      '密码已更改。您已登录，其他浏览器均已退出登录。',
    ),
  },
  invitation: {
    /** The operators' roles in the gateway. */
    roles: {
      owner: en('owner').zh('所有者'),
      admin: en('admin').zh('管理员'),
      finance: en('finance').zh('财务'),
      support: en('support').zh('客服'),
      viewer: en('viewer').zh('只读'),
    } as Record<string, Said<string>>,
    title: en('You are invited').zh('您收到了邀请'),
    working: en('Opening the invitation').zh('正在打开邀请'),
    text: en((account: string | null, role: string | null, email: string | null) =>
      [
        account !== null && `You can join the account ${account}.`,
        role !== null && `You get the role ${role} on this gateway.`,
        email !== null && `The invitation is for ${email}.`,
      ]
        .filter(Boolean)
        .join(' '),
    ).zh((account, role, email) =>
      [
        account !== null && `您可以加入账户 ${account}。`,
        role !== null && `您将在此网关中获得${role}角色。`,
        email !== null && `此邀请仅限 ${email}。`,
      ]
        .filter(Boolean)
        .join(''),
    ),
    signIn: en('Sign in to accept').zh('登录并接受'),
    signUp: en('No account yet? Create one:').zh('还没有账户？请创建：'),
    as: en((email: string) => `You are signed in as ${email}.`).zh((email) => `您已以 ${email} 登录。`),
    accept: en('Accept').zh('接受'),
  },
  expired: {
    title: en('This link has expired').zh('此链接已失效'),
    text: en('It has already been used, or it has expired.').zh('链接已被使用，或已过期。'),
    setupText: en(
      'This link works once. Sign in with your password, or ask the operator of this gateway for a new link.',
    ).zh('此链接只能使用一次。请使用密码登录，或向运营人员申请新链接。'),
    signIn: en('Go to sign-in').zh('前往登录'),
    again: en('Request a new link').zh('重新获取链接'),
  },
})
