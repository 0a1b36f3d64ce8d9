/// The script of pages with passkeys. It calls the browser's functions and posts the result as a form.
///
/// A page contains it as its one inline script, and permits it by its hash (`HTMLTemplate.framed` and `PageFrame.response`). It loads
/// nothing, sends nothing except the form, and changes no text of the page. It contains no pair of braces that a template would replace.
///
/// It handles each form like this one:
/// ```html
/// <form method="post" action="…" hidden data-passkey="create" data-options="{…}">
/// <p role="alert" hidden data-passkey-error="NotAllowedError">…</p>
/// <p role="alert" hidden data-passkey-error="other">…</p>
/// <button>…</button>
/// </form>
/// ```
///
/// - `data-passkey` is `create` or `get`. `data-options` is the text of `creationOptions` or `requestOptions`, escaped as an attribute.
/// - The form is hidden until the script runs, because it does nothing without it.
/// - After a failure, the script shows the text with the error's name, or else the one with `other`: `NotAllowedError` if the person
///   cancels or is too late, `InvalidStateError` if the authenticator already has a passkey of the account, `unsupported` if the browser
///   has no passkeys.
/// - The posted fields are those of `RegistrationResponse` and `AssertionResponse`, and all other fields of the form, such as its CSRF
///   token.
package enum PasskeyScript {
    package static let text = #"""
        "use strict";
        (() => {
          const decode = (text) =>
            Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (letter) => letter.charCodeAt(0));
          const encode = (buffer) => {
            let letters = "";
            for (const byte of new Uint8Array(buffer)) letters += String.fromCharCode(byte);
            return btoa(letters).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
          };
          const decodeIDs = (list) => list.map((item) => ({ ...item, id: decode(item.id) }));

          const create = async (options) => {
            const publicKey = {
              ...options,
              challenge: decode(options.challenge),
              user: { ...options.user, id: decode(options.user.id) },
              excludeCredentials: decodeIDs(options.excludeCredentials),
            };
            const { response } = await navigator.credentials.create({ publicKey });
            return {
              client_data: encode(response.clientDataJSON),
              attestation_object: encode(response.attestationObject),
              transports: (response.getTransports ? response.getTransports() : []).join(","),
            };
          };

          const get = async (options) => {
            const publicKey = {
              ...options,
              challenge: decode(options.challenge),
              allowCredentials: decodeIDs(options.allowCredentials),
            };
            const { rawId, response } = await navigator.credentials.get({ publicKey });
            return {
              credential_id: encode(rawId),
              client_data: encode(response.clientDataJSON),
              authenticator_data: encode(response.authenticatorData),
              signature: encode(response.signature),
              user_handle: response.userHandle ? encode(response.userHandle) : "",
            };
          };

          const show = (form, name) => {
            const texts = Array.from(form.querySelectorAll("[data-passkey-error]"));
            const find = (key) => texts.find((text) => text.dataset.passkeyError === key);
            const shown = name && (find(name) || find("other"));
            for (const text of texts) text.hidden = text !== shown;
          };

          const set = (form, name, value) => {
            let input = form.querySelector(`input[name="${name}"]`);
            if (!input) {
              input = document.createElement("input");
              input.type = "hidden";
              input.name = name;
              form.append(input);
            }
            input.value = value;
          };

          for (const form of document.querySelectorAll("form[data-passkey]")) {
            const call = form.dataset.passkey === "create" ? create : get;
            let isBusy = false;
            form.hidden = false;
            // The browser shows the page again as it was, with the button pressed.
            window.addEventListener("pageshow", (event) => {
              if (event.persisted) isBusy = false;
            });
            form.addEventListener("submit", async (event) => {
              event.preventDefault();
              if (isBusy) return;
              isBusy = true;
              show(form);
              try {
                if (!window.PublicKeyCredential) throw new DOMException("", "unsupported");
                const fields = await call(JSON.parse(form.dataset.options));
                for (const name of Object.keys(fields)) set(form, name, fields[name]);
                HTMLFormElement.prototype.submit.call(form);
              } catch (error) {
                show(form, error.name);
                // Only now. A second passkey while the form is on its way would replace the first one in the authenticator.
                isBusy = false;
              }
            });
          }
        })();
        """#
}
