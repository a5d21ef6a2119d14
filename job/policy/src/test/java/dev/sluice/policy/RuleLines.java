package dev.sluice.policy;

import dev.sluice.engine.rules.Match;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Rule files that a test writes line by line, in its folder, as {@code r.txt}. */
final class RuleLines {
    private RuleLines() {}

    static RuleFile read(Path folder, String... lines) throws IOException {
        Path file = folder.resolve("r.txt");
        Files.write(file, List.of(lines));
        return RuleFile.read(file, null);
    }

    static Match one(Path folder, String line) throws IOException {
        return read(folder, line).rules().get(0).match();
    }
}
