package dev.sluice.engine.routes;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.CompiledClassifier;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.engine.prefix.Dir24;
import dev.sluice.engine.prefix.LengthSearch;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderWord;
import java.util.Arrays;

/** Finds the best prefix around an address of each header. Thread-safe. */
public final class RouteClassifier extends CompiledClassifier {
    private final int record;
    private final int address;
    private final int ipPosition;

    /** A classifier over an image of this algorithm. */
    public RouteClassifier(Image image) {
        super(image);
        record = words[RoutesLayout.RECORD_AT];
        address = words[RoutesLayout.ADDRESS_AT];
        ipPosition = image.layout().position(HeaderWord.IP);
    }

    @Override
    protected void search(HeaderBatch headers, int[] verdicts) {
        int[] h = headers.words();
        int capacity = headers.capacity();
        int n = headers.size();
        if (address < HeaderWord.IPV6_SRC) {
            int position = image().layout().position(address);
            if (position < 0) { // no rule names the address
                Arrays.fill(verdicts, 0, n, image().rules() == 0 ? VerdictBatch.MISS : 0);
            } else {
                Dir24.lookUp(words, record, h, position * capacity, n, verdicts, 0);
            }
        } else {
            for (int i = 0; i < n; i++) {
                verdicts[i] =
                        LengthSearch.lookUp(
                                words,
                                record,
                                word(h, capacity, 0, i),
                                word(h, capacity, 1, i),
                                word(h, capacity, 2, i),
                                word(h, capacity, 3, i));
            }
        }
        if (ipPosition >= 0) {
            int mask = words[RoutesLayout.IP_MASK_AT];
            int value = words[RoutesLayout.IP_VALUE_AT];
            for (int i = 0; i < n; i++) {
                if ((h[ipPosition * capacity + i] & mask) != value) {
                    verdicts[i] = VerdictBatch.MISS;
                }
            }
        }
    }

    private int word(int[] h, int capacity, int k, int i) {
        int position = image().layout().position(address + k);
        return position < 0 ? 0 : h[position * capacity + i];
    }
}
