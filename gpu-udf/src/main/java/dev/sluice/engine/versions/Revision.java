package dev.sluice.engine.versions;

import dev.sluice.engine.lookup.VerdictBatch;
import dev.sluice.schemas.header.HeaderBatch;

/**
 * Makes verdicts of a version out of those of its base: looks into the overlay for the headers
 * whose verdicts are touched ({@link TouchedVerdicts}), and leaves the others as they are. One
 * instance for each thread.
 */
final class Revision {
    private static final ThreadLocal<Revision> OF_THREAD = ThreadLocal.withInitial(Revision::new);

    /** Touched headers are gathered where they are less than so many eighths of a batch. */
    private static final int GATHERED_EIGHTHS = 6;

    private int[] touched = {};
    private int[] verdicts = {};
    private final GatheredHeaders gathered = new GatheredHeaders();

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
    void revise(VersionView version, HeaderBatch headers, int[] given) {
        int n = touched(version.versionedRules().touched().marks(), headers, given);
        if (n == 0) {
            return;
        }
        if (8 * n >= GATHERED_EIGHTHS * headers.size()) {
            version.reviseAll(headers, given);
            return;
        }
        for (int k = 0; k < n; k++) {
            verdicts[k] = given[touched[k]];
        }
        version.reviseAll(gathered.take(headers, touched, 0, n), verdicts);
        for (int k = 0; k < n; k++) {
            given[touched[k]] = verdicts[k];
        }
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
