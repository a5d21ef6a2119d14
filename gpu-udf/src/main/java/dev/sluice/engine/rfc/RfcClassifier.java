package dev.sluice.engine.rfc;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.CompiledClassifier;
import dev.sluice.schemas.header.HeaderBatch;

/** Reads verdicts from the tables of RFC or Bitmap-RFC. Thread-safe. */
public final class RfcClassifier extends CompiledClassifier {
    private final RfcTables tables;

    /** A classifier over an image of RFC or Bitmap-RFC. */
    public RfcClassifier(Image image) {
        super(image);
        tables =
                new RfcTables(
                        words, words[RfcLayout.STEPS_AT], words[RfcLayout.COUNT_AT], words.length);
    }

    @Override
    protected void search(HeaderBatch headers, int[] verdicts) {
        for (int from = 0; from < headers.size(); from += RfcTables.BLOCK) {
            int n = Math.min(RfcTables.BLOCK, headers.size() - from);
            int[] entries =
                    tables.read(headers.words(), headers.capacity(), from, n)[tables.steps() - 1];
            for (int i = 0; i < n; i++) {
                verdicts[from + i] = entries[i] - 1;
            }
        }
    }
}
