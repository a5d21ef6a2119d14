package dev.sluice.job.cli;

import dev.sluice.job.UsageException;
import dev.sluice.job.classify.VerdictChoice;
import dev.sluice.job.classify.VerdictText;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.operators.classify.VerdictFields;
import dev.sluice.schemas.codec.PacketField;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Option;

/** Options of lines of verdicts, a line a packet: where they go, and what they hold. */
final class LineOptions {
    @ArgGroup private Output output = new Output();

    /** One of these at most. */
    private static final class Output {
        @Option(
                names = "--verdicts",
                paramLabel = "OUT.tsv",
                description = "Write one line for every packet, in capture order, to this file.")
        private @Nullable Path verdicts;

        @Option(
                names = "--summary",
                description = "Print only the summary, to standard output: no line a packet.")
        private boolean summaryOnly;
    }

    @Option(
            names = "--denied",
            description =
                    "Write lines of packets that are denied, and no others: by a policy's outcome, or where rules stand for themselves by an action drop, deny, reject, discard or block. sluice report counts them by rule, source and service.")
    private boolean denied;

    @Option(
            names = "--fields",
            paramLabel = "FIELDS",
            description =
                    "Columns of a line beside the verdict: 5-tuple, and fields such as ip-src, frame-length or ttl, which docs/fields.md lists; frame-length where sluice report is to count bytes.")
    private @Nullable VerdictFields fields;

    /** Returns the file of the lines; null: none is asked for. */
    @Nullable Path file() {
        return output.verdicts;
    }

    /** Tells whether lines of verdicts go to standard output. */
    boolean arePrinted(boolean json) {
        return output.verdicts == null && !output.summaryOnly && !json;
    }

    void requireUse(boolean json, List<Path> reads) {
        OutputPath.require("--verdicts", output.verdicts, reads);
        if ((denied || fields != null) && output.verdicts == null && !arePrinted(json)) {
            throw new UsageException(
                    "--denied and --fields are of lines a packet, which --summary, --json and --report leave out: name --verdicts; for counts use sluice report");
        }
        if (fields != null && (fields.actions() || fields.fields().isEmpty())) {
            throw new UsageException(
                    "--fields: name fields of packets, as in 5-tuple,frame-length; lines have the action always");
        }
    }

    /** Makes batches state the fields of the lines. */
    CaptureHits stating(CaptureHits hits) {
        if (fields != null) {
            hits.stating(PacketField.wordBits(fields.fields()));
        }
        return hits;
    }

    /**
     * The lines of captures.
     *
     * @param notes whether lines note that a connection was refused, of hits that keep rows
     */
    VerdictText of(List<Path> captures, CaptureHits hits, boolean notes) {
        return VerdictText.of(captures.stream().map(Path::toString).toList(), hits, notes)
                .with(
                        fields == null ? List.of() : fields.fields(),
                        denied ? VerdictChoice.denied(hits) : null);
    }
}
