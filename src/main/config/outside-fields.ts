/** Keys of what lies outside: Tencent IM per app, the activity service, and their stand-ins. */
import type { FieldTable, FieldTree } from './field-tree.ts';
import { integer, secret, text } from './fields.ts';
import { hostAndPort, httpUrl, wideName } from './patterns.ts';

const imApp = {
  sdk_app_id: integer({ about: 'SdkAppId of the app at Tencent.', min: 1, max: 4294967295 }),
  admin_identifier: text({
    about: 'Account in whose name groups are made and messages sent.',
    fallback: 'administrator',
    pattern: { expression: /^[A-Za-z0-9_-]{1,32}$/, words: '1 to 32 of A-Z a-z 0-9 _ -' },
  }),
  base_url: text({
    about: 'REST interface: https://console.tim.qq.com or its region’s.',
    pattern: httpUrl,
  }),
  secret_key: secret({ about: 'Key that signs UserSig.', minBytes: 16 }),
} satisfies FieldTree;

const imApps: FieldTable<typeof imApp> = {
  kind: 'table',
  about: 'One entry per app_code.',
  keyPattern: wideName,
  entry: imApp,
};

/** See the file header. */
export const outsideFields = {
  tencent_im: { apps: imApps },
  activity: {
    addr: text({
      about: 'gRPC address of the activity service; adapter-activity needs it.',
      fallback: '',
      pattern: hostAndPort,
    }),
  },
  sandbox: {
    im_listen: text({
      about: 'Where the stand-in for Tencent IM listens (HTTP).',
      fallback: '127.0.0.1:7410',
      pattern: hostAndPort,
    }),
    activity_listen: text({
      about: 'Where the stand-in for the activity service listens (gRPC).',
      fallback: '127.0.0.1:7411',
      pattern: hostAndPort,
    }),
    control_listen: text({
      about: 'Where the sandbox shows what it received and takes orders (HTTP).',
      fallback: '127.0.0.1:7412',
      pattern: hostAndPort,
    }),
  },
} satisfies FieldTree;
