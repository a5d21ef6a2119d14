package dev.sluice.engine.toy;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.ImageLayout;
import dev.sluice.engine.image.RuleTable;
import dev.sluice.engine.image.WordWriter;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Capabilities;
import dev.sluice.engine.lookup.CompileContext;
import dev.sluice.engine.lookup.Kernel;
import dev.sluice.engine.rules.Match;
import dev.sluice.engine.rules.RuleSet;

/** Linear search that skips blocks of rules. */
public class ToyAlgorithm extends Algorithm {
    /** Its label. */
    public static final String LABEL = "toy";

    /** Rules of a block. */
    static final int BLOCK = 16;

    static final int TABLE_AT = ImageLayout.OWN_AT;
    static final int STRIDE_AT = ImageLayout.OWN_AT + 1;
    static final int RANGES_AT = ImageLayout.OWN_AT + 2;

    /** Offset of the blocks: value and mask of each. */
    static final int BLOCKS_AT = ImageLayout.OWN_AT + 3;

    private static final int CODE = 9_999;

    /** For the registry. */
    public ToyAlgorithm() {
        this(LABEL, CODE, Kernel.plain("classify_toy"));
    }

    /** The same under another name. */
    ToyAlgorithm(String label, int code, Kernel... kernels) {
        super(
                label,
                code,
                "linear search that skips blocks of rules; an example",
                Capabilities.EVERYTHING,
                (rules, context) -> compile(rules, label, code, context),
                ToyClassifier::new,
                kernels);
    }

    private static Image compile(RuleSet rules, String label, int code, CompileContext context) {
        WordWriter out = new WordWriter(label, context.budgetBytes());
        out.set(TABLE_AT, RuleTable.write(out, rules, 0));
        out.set(STRIDE_AT, RuleTable.stride(rules, 0));
        out.set(RANGES_AT, rules.hasRanges() ? 1 : 0);
        int blocks = (rules.size() + BLOCK - 1) / BLOCK;
        int at = out.reserve(2L * blocks);
        out.set(BLOCKS_AT, at);
        for (int b = 0; b < blocks; b++) {
            int end = Math.min(rules.size(), (b + 1) * BLOCK);
            writeBlock(out, at + 2 * b, rules, b * BLOCK, end);
        }
        return Image.seal(out.toArray(), code, rules.layout(), rules.size());
    }

    /** The bits of the first word that all rules of a block ask for, and their values. */
    private static void writeBlock(WordWriter out, int at, RuleSet rules, int from, int end) {
        if (rules.layout().size() == 0) {
            return;
        }
        int word = rules.layout().word(0);
        Match first = rules.rules().get(from).match();
        int mask = first.mask(word);
        for (int r = from + 1; r < end; r++) {
            Match match = rules.rules().get(r).match();
            mask &= match.mask(word) & ~(match.value(word) ^ first.value(word));
        }
        out.set(at, first.value(word) & mask);
        out.set(at + 1, mask);
    }
}
