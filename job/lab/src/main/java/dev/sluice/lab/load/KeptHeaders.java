package dev.sluice.lab.load;

import java.util.ArrayList;
import java.util.List;

/**
 * The headers of a small source, so that many passes over it do not open and read its file as
 * often. Not thread-safe.
 */
final class KeptHeaders implements HeaderSource {
    private record Header(int[] words, int frameLength) {}

    private final int most;
    private final List<Header> headers = new ArrayList<>();
    private boolean all = true;

    /** Keeps so many headers at most. */
    KeptHeaders(int most) {
        this.most = most;
    }

    /** Keeps a header, unless there are more than it may keep: then it keeps none. */
    void add(int[] words, int frameLength) {
        if (all && headers.size() < most) {
            headers.add(new Header(words.clone(), frameLength));
        } else {
            all = false;
            headers.clear();
        }
    }

    /** Tells whether all are here that were added. */
    boolean areAll() {
        return all;
    }

    @Override
    public void pass(Sink sink) {
        boolean more = true;
        for (int i = 0; more && i < headers.size(); i++) {
            more = sink.header(headers.get(i).words(), headers.get(i).frameLength());
        }
    }

    @Override
    public String remark() {
        return "";
    }
}
