package dev.sluice.engine.family;

import dev.sluice.engine.image.Image;
import dev.sluice.engine.lookup.Algorithm;
import dev.sluice.engine.lookup.Classifier;
import dev.sluice.engine.lookup.CompiledClassifier;
import dev.sluice.engine.lookup.SelectedHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.schemas.header.Field;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderWord;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Looks the headers of each part of a block up in the part's image. Thread-safe. */
final class FamiliesClassifier extends CompiledClassifier {
    /** Headers that are divided at a time. */
    static final int BLOCK = 2048;

    private static final String[] NAMES = {"no IP", "IPv4", "IPv6", "unknown IP"};

    private final List<Part> parts = new ArrayList<>();

    /** Position of the word that says the IP version; -1 where no rule names it. */
    private final int position;

    /** True if there is an IP version that no rule allows. */
    private final boolean gaps;

    /**
     * A part.
     *
     * @param values bit v set: headers of IP version v are looked up here
     * @param map offset of the positions in the whole set
     */
    private record Part(int values, Classifier inner, int map) {
        @Override
        public String toString() {
            StringBuilder names = new StringBuilder();
            for (int v = 0; v < NAMES.length; v++) {
                if ((values >>> v & 1) != 0) {
                    names.append(names.isEmpty() ? "" : " and ").append(NAMES[v]);
                }
            }
            return "%s %s of %,d rules"
                    .formatted(
                            names,
                            Algorithm.ofCode(inner.image().algorithm()).label(),
                            inner.image().rules());
        }
    }

    /** A classifier over an image of this algorithm; those of the parts are copied out. */
    FamiliesClassifier(Image image) {
        super(image);
        position = image.layout().position(HeaderWord.IP);
        int[] records = new int[FamiliesLayout.VALUES];
        System.arraycopy(words, FamiliesLayout.PARTS_AT, records, 0, records.length);
        int all = 0;
        for (int record : Arrays.stream(records).filter(r -> r != 0).distinct().toArray()) {
            int values = 0;
            for (int v = 0; v < records.length; v++) {
                values |= records[v] == record ? 1 << v : 0;
            }
            all |= values;
            Image inner = image.within(words[record + FamiliesLayout.INNER]);
            int map = words[record + FamiliesLayout.MAP];
            parts.add(new Part(values, Algorithm.openImage(inner), map));
        }
        gaps = all != (1 << FamiliesLayout.VALUES) - 1;
    }

    /** Which algorithm serves how many rules of which IP version. */
    String description() {
        return parts.stream().map(Part::toString).collect(Collectors.joining(", "));
    }

    @Override
    public long bytes() {
        return image().bytes() + parts.stream().mapToLong(part -> part.inner.bytes()).sum();
    }

    @Override
    protected void search(HeaderBatch headers, int[] verdicts) {
        if (gaps) {
            Arrays.fill(verdicts, 0, headers.size(), VerdictBatch.MISS);
        }
        Scratch scratch = Scratch.OF_THREAD.get();
        int[] chosen = scratch.chosen;
        for (int from = 0; from < headers.size(); from += BLOCK) {
            int to = Math.min(headers.size(), from + BLOCK);
            for (int p = 0; p < parts.size(); p++) {
                Part part = parts.get(p);
                int count = choose(headers, from, to, part.values, chosen);
                if (count > 0) {
                    int[] found =
                            scratch.selected.classify(part.inner, headers, chosen, count).rules();
                    place(found, part.map, chosen, count, verdicts);
                }
            }
        }
    }

    /** Notes which headers of a block have one of some IP versions, and how many there are. */
    private int choose(HeaderBatch headers, int from, int to, int values, int[] chosen) {
        if (position < 0) {
            for (int i = from; i < to; i++) {
                chosen[i - from] = i;
            }
            return to - from;
        }
        int[] h = headers.words();
        int column = position * headers.capacity();
        int n = 0;
        for (int i = from; i < to; i++) {
            chosen[n] = i;
            n += values >>> Field.IP_VERSION.extract(h[column + i]) & 1;
        }
        return n;
    }

    /** Writes a part's verdicts as positions in the whole set. */
    private void place(int[] found, int map, int[] chosen, int count, int[] verdicts) {
        int[] w = words;
        for (int k = 0; k < count; k++) {
            int position = found[k];
            verdicts[chosen[k]] =
                    position == VerdictBatch.MISS ? VerdictBatch.MISS : w[map + position];
        }
    }

    /** Notes of a thread on a block. */
    private static final class Scratch {
        static final ThreadLocal<Scratch> OF_THREAD = ThreadLocal.withInitial(Scratch::new);

        /** A header that is not chosen is noted, too, until the next one takes its place. */
        final int[] chosen = new int[BLOCK + 1];

        final SelectedHeaders selected = new SelectedHeaders(BLOCK);
    }
}
