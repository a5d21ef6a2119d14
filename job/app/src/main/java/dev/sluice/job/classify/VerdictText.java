package dev.sluice.job.classify;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.rules.Rule;
import dev.sluice.engine.rules.RuleSet;
import dev.sluice.job.EscapedText;
import dev.sluice.job.capture.CaptureBatch;
import dev.sluice.job.hits.CaptureHits;
import dev.sluice.job.replay.LineBytes;
import dev.sluice.job.replay.VerdictLine;
import dev.sluice.schemas.codec.VerdictStatus;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Verdicts on captures as lines of a verdict file, in capture order. Not thread-safe. */
public final class VerdictText {
    private static final int LINE = 128;

    private final byte[][] captures;
    private final List<Rule> rules;
    private final byte[] @Nullable [] verdicts;
    private final byte[] miss;
    private final LineBytes text = new LineBytes(CaptureHits.BATCH * LINE);
    private final String defaultAction;
    private final long version;

    /**
     * Creates the lines of a run.
     *
     * @param captures names of the captures
     * @param set the rules of the run; a verdict is a position in them
     */
    public VerdictText(List<String> captures, RuleSet set) {
        this.captures =
                captures.stream()
                        .map(name -> LineBytes.utf8(EscapedText.cell(name)))
                        .toArray(byte[][]::new);
        rules = set.rules();
        defaultAction = set.defaultAction();
        version = set.version();
        verdicts = new byte[rules.size()][];
        miss = verdict(VerdictBatch.MISS);
    }

    /** Returns the header line, with its line end. */
    public static LineBytes titles() {
        return new LineBytes(LINE).append(VerdictLine.COLUMNS).append('\n');
    }

    /**
     * Formats the lines of a batch.
     *
     * @param found the verdict of each header of the batch
     * @return valid until the next call
     */
    public LineBytes lines(CaptureBatch batch, int[] found) {
        text.clear();
        byte[] capture = captures[batch.capture()];
        int header = 0;
        for (int i = 0; i < batch.packets(); i++) {
            VerdictLine.packet(text, capture, batch.number(i), batch.timeLow(i), batch.timeHigh(i));
            String reason = batch.reason(i);
            if (reason != null) {
                VerdictLine.deadLetter(text, reason);
                text.append('\n');
            } else {
                int rule = found[header++];
                byte[] known = rule == VerdictBatch.MISS ? miss : verdicts[rule];
                if (known == null) {
                    known = verdict(rule);
                    verdicts[rule] = known;
                }
                text.append(known);
            }
        }
        return text;
    }

    private byte[] verdict(int found) {
        LineBytes line = new LineBytes(LINE);
        VerdictLine.verdict(
                line,
                found == VerdictBatch.MISS ? null : rules.get(found),
                defaultAction,
                version,
                VerdictStatus.OK);
        return line.append('\n').toBytes();
    }
}
