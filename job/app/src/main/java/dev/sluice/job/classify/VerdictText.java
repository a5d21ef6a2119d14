package dev.sluice.job.classify;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.EscapedText;
import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.capture.HeaderTable;
import dev.sluice.job.capture.RowFacts;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.replay.LineBytes;
import dev.sluice.job.replay.VerdictLine;
import dev.sluice.schemas.codec.PacketField;
import dev.sluice.schemas.codec.VerdictOutcome;
import dev.sluice.schemas.codec.VerdictStatus;
import dev.sluice.schemas.header.HeaderWord;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Verdicts on captures as lines of a verdict file, in capture order. Not thread-safe. */
public final class VerdictText {
    private static final int LINE = 128;

    private final byte[][] captures;
    private final RuleSet answers;
    private final List<Rule> rules;
    private final byte[] @Nullable [] verdicts;
    private final byte[] miss;
    private final LineBytes text = new LineBytes(CaptureHits.BATCH * LINE);
    private final boolean policy;
    private final int earlierStages;
    private final boolean tracked;
    private final int[] words = new int[HeaderWord.COUNT];
    private List<PacketField> fields = List.of();
    private @Nullable VerdictChoice chosen;

    /** Tells whether a note follows the state. */
    private final boolean notes;

    /** Ends of lines behind the verdict, by outcome. */
    private final byte[][] ends = new byte[VerdictOutcome.values().length][];

    private final String defaultAction;
    private final long version;

    /**
     * Creates the lines of a run.
     *
     * @param captures names of the captures
     * @param set the rules of the run; a verdict is a position in them
     * @param assumed assumption that a policy judges under; empty: none
     * @param earlierStages the most stages that a packet passes before the one that decides
     */
    public VerdictText(List<String> captures, RuleSet set, String assumed, int earlierStages) {
        this(captures, set, assumed, earlierStages, false, false);
    }

    /** Creates the lines of a run. */
    private VerdictText(
            List<String> captures,
            RuleSet set,
            String assumed,
            int earlierStages,
            boolean tracked,
            boolean notes) {
        this.tracked = tracked;
        this.notes = notes;
        policy = set.isPolicy();
        this.earlierStages = earlierStages;
        for (VerdictOutcome outcome : VerdictOutcome.values()) {
            LineBytes end = new LineBytes(LINE);
            if (policy) {
                VerdictLine.answer(end, outcome, assumed);
            }
            ends[outcome.ordinal()] = (tracked || notes ? end : end.append('\n')).toBytes();
        }
        this.captures =
                captures.stream()
                        .map(name -> LineBytes.utf8(EscapedText.cell(name)))
                        .toArray(byte[][]::new);
        answers = set;
        rules = set.rules();
        defaultAction = set.defaultAction();
        version = set.version();
        verdicts = new byte[rules.size()][];
        miss = verdict(VerdictBatch.MISS);
    }

    /**
     * Creates the lines of a run.
     *
     * @param captures names of the captures
     * @param notes whether lines note that a connection was refused, of hits that keep rows
     */
    public static VerdictText of(List<String> captures, CaptureHits hits, boolean notes) {
        return new VerdictText(
                captures,
                hits.ruleSet(),
                hits.assumed(),
                hits.earlierStages(),
                hits.tellsStates(),
                notes);
    }

    /**
     * Adds columns with fields of packets, and leaves packets out.
     *
     * @param more fields; batches are to be {@link CaptureBatch#stating} where there are some
     * @param only verdicts whose packets have a line; null: all
     */
    public VerdictText with(List<PacketField> more, @Nullable VerdictChoice only) {
        fields = List.copyOf(more);
        chosen = only;
        return this;
    }

    /** Returns the most stages that a packet passes before the one that decides. */
    int earlierStages() {
        return earlierStages;
    }

    /** Returns the header line, with its line end. */
    public LineBytes titles() {
        return new LineBytes(LINE)
                .append(VerdictLine.columns(policy, earlierStages > 0))
                .append(tracked ? VerdictLine.STATE : "")
                .append(
                        fields.stream()
                                .map(field -> "\t" + VerdictLine.name(field))
                                .collect(Collectors.joining()))
                .append(notes ? "\tnote" : "")
                .append('\n');
    }

    /**
     * Formats the lines of a batch.
     *
     * @param found the verdict of each header of the batch
     * @return valid until the next call
     */
    public LineBytes lines(CaptureBatch batch, VerdictBatch found) {
        text.clear();
        byte[] capture = captures[batch.capture()];
        int header = 0;
        for (int i = 0; i < batch.packets(); i++) {
            String reason = batch.reason(i);
            if (chosen != null && (reason != null || !chosen.chooses(found.rule(header)))) {
                header += reason == null ? 1 : 0;
                continue;
            }
            VerdictLine.packet(text, capture, batch.number(i), batch.timeLow(i), batch.timeHigh(i));
            if (reason != null) {
                VerdictLine.deadLetter(text, reason);
                text.append(earlierStages > 0 ? "\t" : "")
                        .append(ends[VerdictOutcome.NONE.ordinal()])
                        .append(tracked ? "\t" : "")
                        .append(notes ? "\t" : "")
                        .append(tracked || notes ? "\n" : "");
            } else {
                int rule = found.rule(header);
                byte[] known = rule == VerdictBatch.MISS ? miss : verdicts[rule];
                if (known == null) {
                    known = verdict(rule);
                    verdicts[rule] = known;
                }
                text.append(known);
                if (policy) {
                    if (earlierStages > 0) {
                        earlier(found, header);
                    }
                    text.append(ends[answers.outcome(rule).ordinal()]);
                    if (tracked) {
                        text.append('\t').append(VerdictLine.state(batch.states()[header]));
                    }
                    if (notes) {
                        note(batch, header);
                    }
                    if (tracked || notes) {
                        text.append('\n');
                    }
                }
                header++;
            }
            if (!fields.isEmpty()) {
                fields(batch, reason == null ? header - 1 : -1);
            }
        }
        return text;
    }

    /** Appends the fields of a header to the line before the line end; -1: of no header. */
    private void fields(CaptureBatch batch, int header) {
        text.dropLast();
        if (header >= 0) {
            batch.words(header, words);
        }
        StringBuilder cells = new StringBuilder();
        for (PacketField field : fields) {
            Object value = header < 0 ? null : field.value(words);
            cells.append('\t');
            if (value != null) {
                HeaderTable.value(cells, field, value);
            }
        }
        text.append(cells).append('\n');
    }

    private void note(CaptureBatch batch, int header) {
        text.append('\t');
        RowFacts facts = Objects.requireNonNull(batch.rowFacts());
        if (facts.refusedPacket(header) > 0) {
            text.append("connection refused at packet ").append(facts.refusedPacket(header));
            int capture = facts.refusedCapture(header);
            if (capture != batch.capture()) {
                text.append(" of ").append(captures[capture]);
            }
        }
    }

    private void earlier(VerdictBatch found, int header) {
        text.append('\t');
        for (int stage = 0; stage < earlierStages; stage++) {
            int rule = found.earlier(stage)[header];
            if (rule == VerdictBatch.MISS) {
                break; // it passed no more
            }
            VerdictLine.earlier(text, stage, rules.get(rule));
        }
    }

    private byte[] verdict(int found) {
        LineBytes line = new LineBytes(LINE);
        VerdictLine.verdict(
                line,
                found == VerdictBatch.MISS ? null : rules.get(found),
                defaultAction,
                version,
                VerdictStatus.OK);
        return policy ? line.toBytes() : line.append('\n').toBytes();
    }
}
