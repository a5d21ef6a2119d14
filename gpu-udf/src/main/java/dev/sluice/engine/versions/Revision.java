package dev.sluice.engine.versions;

import dev.sluice.engine.lookup.SelectedHeaders;
import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.schemas.header.HeaderBatch;
import org.jspecify.annotations.Nullable;

/**
 * Makes verdicts of a version out of those of its base: looks into the overlay for the headers
 * whose verdicts are touched ({@link TouchedVerdicts}), and leaves the others as they are. One
 * instance for each thread.
 */
final class Revision {
    private static final ThreadLocal<Revision> OF_THREAD = ThreadLocal.withInitial(Revision::new);

    private static final int[] NONE = {};

    private int[] touched = {};
    private int[] verdicts = {};
    private final SelectedHeaders gathered = new SelectedHeaders(0);

    private Revision() {}

    /** The thread's instance. */
    static Revision get() {
        return OF_THREAD.get();
    }

    /**
     * Replaces the base's verdicts where the version has others.
     *
     * @param given verdicts of the base on the headers
     */
    void revise(TickView version, HeaderBatch headers, int[] given) {
        BaseChanges changes = version.changes();
        int n = touched(changes.touched.marks(), headers, given);
        if (n == 0) {
            return;
        }
        Accelerators limits = changes.limits;
        EntryVectors.View vectors = version.vectors();
        if (vectors != null
                && vectors.groupsInUse() > limits.groupsForAll()
                && changes.touched.all()) {
            vectors = null;
        }
        if (vectors == null && 8 * n >= limits.gatheredEighths() * headers.size()) {
            n = all(headers.size());
        }
        SecondLook second = version.removals() ? SecondLook.get() : null;
        if (second != null) {
            second.begin(changes.removedAt, version.tick(), touched, n, given);
        }
        int[] order = NONE;
        if (version.inserts()) {
            order = inserted(version, vectors, headers, n, given);
        }
        if (second != null) {
            second.end(changes, version.tick(), headers, touched, given, order);
        }
    }

    /**
     * Looks into the overlay for the listed headers.
     *
     * @return by place in the list: rules of the base that are better than the verdict, where that
     *     is the overlay's
     */
    private int[] inserted(
            TickView version,
            EntryVectors.@Nullable View vectors,
            HeaderBatch headers,
            int n,
            int[] given) {
        if (vectors != null) {
            return VectorSearch.get().search(version, vectors, headers, touched, n, given);
        }
        int base = version.changes().base.size();
        int[] words = version.words();
        VersionedSearch search = VersionedSearch.get();
        if (n == headers.size()) {
            return search.search(words, version.directory(), version.tick(), headers, given, base);
        }
        HeaderBatch some = gathered.take(headers.layout(), headers, touched, 0, n);
        for (int k = 0; k < n; k++) {
            verdicts[k] = given[touched[k]];
        }
        int[] order =
                search.search(words, version.directory(), version.tick(), some, verdicts, base);
        for (int k = 0; k < n; k++) {
            given[touched[k]] = verdicts[k];
        }
        return order;
    }

    /** Lists all headers of a batch; returns how many there are. */
    private int all(int size) {
        for (int i = 0; i < size; i++) {
            touched[i] = i;
        }
        return size;
    }

    /** Lists the headers whose verdicts are touched; returns how many. */
    private int touched(byte[] marks, HeaderBatch headers, int[] given) {
        int size = headers.size();
        if (touched.length <= size) {
            verdicts = new int[headers.capacity() + 1];
            touched = new int[headers.capacity() + 1];
        }
        int n = 0;
        for (int i = 0; i < size; i++) {
            touched[n] = i;
            n += marks[given[i] - VerdictBatch.MISS];
        }
        return n;
    }
}
