package dev.sluice.engine.lookup;

import dev.sluice.engine.image.HashMultipliers;
import dev.sluice.engine.image.HeapBudget;
import dev.sluice.engine.image.Image;
import dev.sluice.engine.image.MemoryBudgetException;
import dev.sluice.schemas.header.HeaderBatch;
import dev.sluice.schemas.header.HeaderLayout;
import java.util.concurrent.atomic.LongAdder;

/**
 * Remembers verdicts by complete header words in front of a compiled image: one rule-set version,
 * fixed memory; of the headers whose hash names one entry, the newest has it. Each thread has a
 * cache of its own, so threads share nothing. Of use where few flows make most packets and the
 * look-up is dear.
 */
public final class FlowCache implements Classifier, CacheCounts {
    /** Number of entries that stands for an {@link AdaptiveFlowCache}. */
    public static final int AUTO_ENTRIES = -1;

    /** Most entries of a thread. */
    public static final int MOST_ENTRIES = 1 << 26;

    /** Largest size of an array in words, which a virtual machine may keep some below 2^31. */
    private static final long MOST_WORDS = Integer.MAX_VALUE - 8;

    private static final int BLOCK = 1024;

    private final Classifier inner;
    private final int size;
    private final ThreadLocal<Cache> ofThread;
    private final LongAdder hits = new LongAdder();
    private final LongAdder looked = new LongAdder();

    /**
     * A cache in front of a classifier.
     *
     * @param entries verdicts to remember a thread, rounded up to a power of two
     * @throws IllegalArgumentException if entries are below 1 or above {@link #MOST_ENTRIES}
     * @throws MemoryBudgetException if one thread's entries take more than the heap allows, {@link
     *     HeapBudget}
     */
    public FlowCache(Classifier inner, int entries) {
        if (entries < 1 || entries > MOST_ENTRIES) {
            throw new IllegalArgumentException(
                    entries + " entries of a flow cache are not in 1.." + MOST_ENTRIES);
        }
        this.inner = inner;
        this.size = entries == 1 ? 1 : Integer.highestOneBit(entries - 1) << 1;
        long bytes = 4L * size * (Math.max(1, inner.layout().size()) + 1);
        if (bytes > HeapBudget.bytes() || (long) size * inner.layout().size() > MOST_WORDS) {
            throw tooLarge(entries, bytes);
        }
        this.ofThread = ThreadLocal.withInitial(() -> new Cache(size, inner.layout()));
    }

    private static MemoryBudgetException tooLarge(int entries, long bytes) {
        return new MemoryBudgetException(
                ("a flow cache of %,d verdicts takes %,d bytes a thread of these rules' headers, and the"
                                + " heap of %,d bytes has a quarter for it; lower --flow-cache, or raise"
                                + " the heap, as in SLUICE_JAVA_OPTS=-Xmx8g")
                        .formatted(entries, bytes, HeapBudget.heapBytes()),
                bytes,
                HeapBudget.bytes(),
                null);
    }

    /** One thread's entries and room for a block. */
    private static final class Cache {
        final int[] words;

        /** Verdict + 2 of each entry, 0 for a free one. */
        final int[] verdicts;

        final int[] entry = new int[BLOCK + 1];
        final int[] waiting = new int[BLOCK + 1];
        final SelectedHeaders rest = new SelectedHeaders(BLOCK);

        Cache(int size, HeaderLayout layout) {
            words = new int[Math.multiplyExact(size, Math.max(1, layout.size()))];
            verdicts = new int[size];
        }
    }

    @Override
    public void classify(HeaderBatch headers, VerdictBatch verdicts) {
        classifyCounting(headers, verdicts);
    }

    /** As {@link #classify}; returns how many headers were answered from the cache. */
    long classifyCounting(HeaderBatch headers, VerdictBatch verdicts) {
        check(headers, verdicts);
        Cache cache = ofThread.get();
        int width = headers.layout().size();
        int[] h = headers.words();
        int capacity = headers.capacity();
        int[] out = verdicts.rules();
        long hit = 0;
        for (int from = 0; from < headers.size(); from += BLOCK) {
            int n = Math.min(BLOCK, headers.size() - from);
            int pending = 0;
            for (int i = 0; i < n; i++) {
                int at = from + i;
                int hash = 0;
                for (int p = 0; p < width; p++) {
                    hash = (hash ^ h[p * capacity + at]) * HashMultipliers.GOLDEN;
                    hash ^= hash >>> 15;
                }
                int entry = hash * HashMultipliers.FINISH_1 >>> 7 & size - 1;
                int differs = cache.verdicts[entry] == 0 ? 1 : 0;
                for (int p = 0; p < width; p++) {
                    differs |= cache.words[entry * width + p] ^ h[p * capacity + at];
                }
                out[at] = cache.verdicts[entry] - 2;
                cache.waiting[pending] = at;
                cache.entry[pending] = entry;
                pending += Branchless.isNotZero(differs);
            }
            hit += n - pending;
            fill(cache, headers, out, pending, width);
        }
        hits.add(hit);
        looked.add(headers.size());
        return hit;
    }

    /** Gives up what the calling thread remembers. */
    void forget() {
        ofThread.remove();
    }

    /** Headers that the cache answered so far. */
    long hits() {
        return hits.sum();
    }

    private void fill(Cache cache, HeaderBatch headers, int[] out, int pending, int width) {
        if (pending == 0) {
            return;
        }
        int[] h = headers.words();
        int capacity = headers.capacity();
        VerdictBatch found = cache.rest.classify(inner, headers, cache.waiting, pending);
        for (int k = 0; k < pending; k++) {
            int verdict = found.rule(k);
            int entry = cache.entry[k];
            int header = cache.waiting[k];
            out[header] = verdict;
            cache.verdicts[entry] = verdict + 2;
            for (int p = 0; p < width; p++) {
                cache.words[entry * width + p] = h[p * capacity + header];
            }
        }
    }

    @Override
    public Image image() {
        return inner.image();
    }

    @Override
    public long bytes() {
        return inner.bytes() + 4L * size * (inner.layout().size() + 1);
    }

    @Override
    public double hitRate() {
        return looked.sum() == 0 ? 0 : (double) hits.sum() / looked.sum();
    }
}
