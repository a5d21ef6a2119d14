package dev.sluice.job.replay;

import dev.sluice.engine.rules.Rule;
import dev.sluice.job.EscapedText;
import dev.sluice.job.read.PacketText;
import dev.sluice.operators.connections.StatefulJudge;
import dev.sluice.schemas.codec.PacketField;
import dev.sluice.schemas.codec.VerdictOutcome;
import dev.sluice.schemas.header.HeaderWord;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Lines of the verdict file of a replay. Not thread-safe. */
final class SpoolLines {
    private static final int LINE_BYTES = 256;

    private final VerdictCollector collector;
    private final String defaultAction;
    private final boolean policy;
    private final boolean stages;
    private final boolean states;
    private final List<PacketField> fields;
    private final LineBytes line = new LineBytes(LINE_BYTES);

    /**
     * Lines of the verdicts that a collector has received.
     *
     * @param states whether connections are tracked, whose states have a column
     * @param fields of packets, which have the last columns
     */
    SpoolLines(
            VerdictCollector collector,
            PublishedRules rules,
            String defaultAction,
            boolean states,
            List<PacketField> fields) {
        this.collector = collector;
        this.defaultAction = defaultAction;
        policy = rules.arePolicies();
        stages = rules.haveStages();
        this.states = states;
        this.fields = fields;
    }

    /** Writes the line of names. */
    void writeNames(OutputFile out) throws IOException {
        line.append(VerdictLine.columns(policy, stages));
        line.append(states ? VerdictLine.STATE : "");
        for (PacketField field : fields) {
            line.append("\t" + field.label().replace('-', '_'));
        }
        out.write(line.append('\n'));
    }

    /** Writes the lines of a capture. */
    void write(OutputFile out, Path capture, VerdictSpool spool) throws IOException {
        byte[] name = LineBytes.utf8(EscapedText.cell(capture.toString()));
        spool.visit(
                (number, timeLow, timeHigh, verdict, length) -> {
                    line.clear();
                    VerdictLine.packet(line, name, number, timeLow, timeHigh);
                    verdict(verdict);
                    if (stages) {
                        earlier(verdict);
                    }
                    if (policy) {
                        answer(verdict);
                    }
                    if (states) {
                        state(verdict < 0 ? null : spool.header(number));
                    }
                    if (!fields.isEmpty()) {
                        fields(verdict < 0 ? null : spool.header(number));
                    }
                    out.write(line.append('\n'));
                });
    }

    private VerdictCollector.Outcome outcome(int verdict) {
        return collector.outcome(verdict - VerdictSpool.FIRST_OUTCOME);
    }

    private void state(int @Nullable [] header) {
        line.append('\t');
        if (header != null) {
            line.append(VerdictLine.state(StatefulJudge.state(header[HeaderWord.CONNECTION])));
        }
    }

    private void fields(int @Nullable [] header) {
        for (PacketField field : fields) {
            Object value = header == null ? null : field.value(header);
            line.append('\t').append(value == null ? "" : PacketText.text(field, value));
        }
    }

    private void earlier(int verdict) {
        line.append('\t');
        List<Rule> passed = verdict < 0 ? List.of() : outcome(verdict).earlier();
        for (int stage = 0; stage < passed.size(); stage++) {
            VerdictLine.earlier(line, stage, passed.get(stage));
        }
    }

    private void answer(int verdict) {
        if (verdict < 0) {
            VerdictLine.answer(line, VerdictOutcome.NONE, "");
        } else {
            VerdictLine.answer(line, outcome(verdict).fate(), outcome(verdict).assumed());
        }
    }

    private void verdict(int verdict) {
        if (verdict < 0) {
            VerdictLine.deadLetter(line, collector.reason(~verdict));
            return;
        }
        VerdictCollector.Outcome outcome = outcome(verdict);
        VerdictLine.verdict(
                line,
                outcome.rule(),
                defaultAction,
                outcome.hasVersion() ? outcome.version() : null,
                outcome.status());
    }
}
