extension PageFrame {
    /// The stylesheet of all pages in a frame. Pages name it by its hash, so it is the same for all tenants.
    static let style = """
        :root { color-scheme: light dark; --ink: #111; --soft: #555; --ground: #fff; --alarm: #a30000; font: 17px/1.5 system-ui, sans-serif; }
        :root { --accent: var(--ink); --on-accent: var(--ground); }
        @media (prefers-color-scheme: dark) { :root { --ink: #f2f2f2; --soft: #a8a8a8; --ground: #161616; --alarm: #ff9a8f; } }
        body { margin: 0; min-height: 100vh; display: grid; grid-template-columns: minmax(0, 31rem); place-content: center; }
        body { color: var(--ink); background: var(--ground); overflow-wrap: anywhere; }
        header, main, footer { padding: 0 2rem; }
        header { padding-top: 2rem; font-weight: 600; }
        header p { margin: 0; }
        header img { display: block; max-width: 100%; max-height: 4rem; }
        main { padding-top: 1rem; padding-bottom: 1rem; }
        footer { padding-bottom: 2rem; }
        ul { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; margin: 0; padding: 0; list-style: none; }
        .list { display: block; margin: 0 0 1rem; padding-inline-start: 1.25rem; list-style: disc; }
        h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.2; }
        h2 { margin: 2rem 0 .5rem; font-size: 1.125rem; }
        h3 { margin: 1rem 0 .25rem; font-size: 1rem; }
        a { color: inherit; }
        dt, small, footer { color: var(--soft); }
        dd { margin: 0 0 .5rem; }
        small bdi { user-select: all; }
        .problem { color: var(--alarm); }
        input, button, .button { font: inherit; box-sizing: border-box; width: 100%; padding: .6rem 1rem; border-radius: .5rem; }
        input { color: var(--ink); background: var(--ground); border: 1px solid var(--soft); letter-spacing: .1em; text-transform: uppercase; }
        .name { letter-spacing: normal; text-transform: none; }
        label { display: block; margin-bottom: .25rem; }
        button, .button { display: block; text-align: center; text-decoration: none; cursor: pointer; border: 1px solid var(--ink); }
        button, .button { color: var(--on-accent); background: var(--accent); }
        .apple { display: inline-block; border-radius: .5rem; }
        .apple img { display: block; }
        .refusal { color: var(--ink); background: var(--ground); }
        :focus-visible { outline: 3px solid var(--ink); outline-offset: 3px; }
        """
}
