/** A bucket is configured, but the S3 package is not installed. */
export class S3PackageMissing extends Error {
  constructor(cause: unknown) {
    super(
      'Storage in a bucket needs the npm package "@aws-sdk/client-s3", which is not installed: npm install @aws-sdk/client-s3@3',
      { cause },
    );
    this.name = 'S3PackageMissing';
  }
}
