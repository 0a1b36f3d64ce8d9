import Server

@main
struct Main {
    static func main() async {
        await CommandLineProgram.run(Espalier.self)
    }
}
