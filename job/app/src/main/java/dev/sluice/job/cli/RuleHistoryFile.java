package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.job.replay.RuleVersionFile;
import dev.sluice.policy.RuleFile;
import dev.sluice.policy.TextFiles;
import dev.sluice.policy.io.SluiceException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** A file that says from which time on which rule file was in force, a version a line. */
final class RuleHistoryFile {
    private RuleHistoryFile() {}

    /**
     * Reads the file and all rule files that it names.
     *
     * @param rules reads a rule file
     * @throws UsageException naming file, line, defect and remedy
     * @throws SluiceException if a file cannot be read, naming the line that names it
     */
    static List<RuleVersionFile> read(Path file, Function<Path, RuleFile> rules) {
        List<RuleVersionFile> versions = new ArrayList<>();
        long last = Long.MIN_VALUE;
        int number = 0;
        try (BufferedReader in = TextFiles.open(file)) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                number++;
                String text = TextFiles.inUtf8(line).strip();
                if (text.isEmpty() || text.startsWith("#")) {
                    continue;
                }
                String where = file + ":" + number + ":";
                String[] parts = text.split("\\s+", 2);
                if (parts.length < 2) {
                    throw new UsageException(
                            where + " holds no TIME RULE-FILE, as in 2026-11-22T14:00:00Z a.rules");
                }
                long time = Times.instantNs(where, parts[0]);
                if (time < last) {
                    throw new UsageException(
                            where
                                    + " "
                                    + parts[0]
                                    + " is before the time of the version before; write the oldest first");
                }
                last = time;
                Path named = file.resolveSibling(parts[1]);
                try {
                    versions.add(new RuleVersionFile(named, rules.apply(named), time));
                } catch (UsageException e) {
                    throw e; // of an option
                } catch (SluiceException e) {
                    throw new SluiceException(where + " " + e.getMessage(), e);
                }
            }
        } catch (IOException e) {
            throw new SluiceException(TextFiles.describe("rule history", file, e), e);
        }
        if (versions.isEmpty()) {
            throw new UsageException(
                    file
                            + ": holds no version; write TIME RULE-FILE, one a line, the oldest first");
        }
        return versions;
    }
}
