import { PasswordPanel } from "./password";
import { SecondFactorPanel } from "./second-factor";
import { SignInsPanel } from "./sign-ins";

export function AccountPage() {
  return (
    <>
      <div className="a-head">
        <h1>Your account</h1>
      </div>
      <div className="a-two a-even">
        <SecondFactorPanel />
        <PasswordPanel />
      </div>
      <SignInsPanel />
    </>
  );
}
