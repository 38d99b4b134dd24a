import { generate } from 'selfsigned';

/** Creates a self-signed certificate for localhost, as PEM texts. */
export async function localhostCertificate(): Promise<{ readonly cert: string; readonly key: string }> {
  const pems = await generate([{ name: 'commonName', value: 'localhost' }], {
    algorithm: 'sha256',
    extensions: [
      {
        name: 'subjectAltName',
        altNames: [
          { type: 2, value: 'localhost' },
          { type: 7, ip: '127.0.0.1' },
        ],
      },
    ],
  });
  return { cert: pems.cert, key: pems.private };
}
