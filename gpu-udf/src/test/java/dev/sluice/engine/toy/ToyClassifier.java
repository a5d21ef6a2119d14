package dev.sluice.engine.toy;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.RuleTable;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderWord;

/** Looks into a {@link ToyAlgorithm}'s image. */
final class ToyClassifier implements Classifier {
    private final Image image;

    ToyClassifier(Image image) {
        this.image = image;
    }

    @Override
    public Image image() {
        return image;
    }

    @Override
    public void classify(HeaderBatch headers, VerdictBatch verdicts) {
        check(headers, verdicts);
        for (int i = 0; i < headers.size(); i++) {
            verdicts.rules()[i] = find(headers, i);
        }
    }

    private int find(HeaderBatch headers, int i) {
        int[] w = image.words();
        int size = image.layout().size();
        int ports = w[ToyAlgorithm.RANGES_AT] == 0 ? -1 : image.layout().position(HeaderWord.PORTS);
        for (int from = 0, b = w[ToyAlgorithm.BLOCKS_AT];
                from < image.rules();
                from += ToyAlgorithm.BLOCK, b += 2) {
            if (size > 0 && ((headers.words()[i] ^ w[b]) & w[b + 1]) != 0) {
                continue;
            }
            int end = Math.min(image.rules(), from + ToyAlgorithm.BLOCK);
            for (int r = from; r < end; r++) {
                int rule = w[ToyAlgorithm.TABLE_AT] + r * w[ToyAlgorithm.STRIDE_AT];
                if (RuleTable.matches(
                        w, rule, size, ports, headers.words(), headers.capacity(), i)) {
                    return r;
                }
            }
        }
        return VerdictBatch.MISS;
    }
}
