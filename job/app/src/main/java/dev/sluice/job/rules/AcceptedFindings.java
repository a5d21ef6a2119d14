package dev.sluice.job.rules;

import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Findings of lint that a file says are known: a line each, the finding, a tab and the rule's text
 * as TSV writes it. Empty lines and lines that begin with {@code #} say nothing.
 */
public final class AcceptedFindings {
    /** No file. */
    public static final AcceptedFindings NONE = new AcceptedFindings(Set.of());

    private final Set<String> lines;
    private final Set<String> unused;

    private AcceptedFindings(Set<String> lines) {
        this.lines = lines;
        this.unused = new LinkedHashSet<>(lines);
    }

    /**
     * Reads a file.
     *
     * @throws SluiceException if it cannot be read, or a line has no tab
     */
    public static AcceptedFindings read(Path file) {
        Set<String> lines = new LinkedHashSet<>();
        try {
            int number = 0;
            for (String line : Files.readAllLines(file)) {
                number++;
                if (line.isBlank() || line.startsWith("#")) {
                    continue;
                }
                if (line.indexOf('\t') < 0) {
                    throw new SluiceException(
                            "%s:%d: has no tab; write the finding, a tab and the rule's text"
                                    .formatted(file, number));
                }
                lines.add(line.strip());
            }
        } catch (IOException e) {
            throw new SluiceException(TextFiles.describe("accepted findings", file, e), e);
        }
        return new AcceptedFindings(lines);
    }

    /** Returns whether a finding is known. */
    public boolean accepts(LintTable.Row row) {
        unused.remove(row.acceptance());
        return lines.contains(row.acceptance());
    }

    /** The lines that accepted nothing so far. */
    public List<String> unused() {
        return List.copyOf(unused);
    }
}
