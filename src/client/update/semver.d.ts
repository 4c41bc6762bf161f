declare module "semver/functions/gt.js" {
  export default function gt(version: string, than: string): boolean;
}

declare module "semver/functions/satisfies.js" {
  export default function satisfies(version: string, range: string, options?: { includePrerelease?: boolean }): boolean;
}
