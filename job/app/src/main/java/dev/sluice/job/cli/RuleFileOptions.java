package dev.sluice.job.cli;

import dev.sluice.policy.OpenRules;
import dev.sluice.policy.RuleFormat;
import dev.sluice.policy.RuleFormats;
import java.nio.file.Path;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that tell how a rule file is read. */
final class RuleFileOptions {
    @Option(
            names = "--rules-format",
            paramLabel = "FORMAT",
            completionCandidates = Formats.class,
            description =
                    "Format of the rule file: one of ${COMPLETION-CANDIDATES}; detected if not given.")
    private @Nullable RuleFormat format;

    @Mixin final PortOptions ports = new PortOptions();

    /** The labels of all formats, for help and completion. */
    static final class Formats implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return RuleFormats.labels().iterator();
        }
    }

    /** Opens a rule file, which may be a pipe. */
    OpenRules open(Path file) {
        return OpenRules.open(file, format);
    }
}
