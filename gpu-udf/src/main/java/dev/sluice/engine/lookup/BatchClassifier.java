package dev.sluice.engine.lookup;

import dev.sluice.schemas.header.HeaderBatch;
import java.nio.IntBuffer;
import org.jspecify.annotations.Nullable;

/** A classifier that can have several batches under way at once. */
public interface BatchClassifier extends Classifier {
    /** A batch under way. */
    interface Flight {
        /** Waits until the verdicts are there. To be called once, by any thread. */
        void await();
    }

    /** A flight that has landed. */
    Flight LANDED = () -> {};

    /**
     * Starts on a batch.
     *
     * @param headers not to be changed before the flight has landed
     * @param verdicts filled when the flight has landed
     */
    Flight submit(HeaderBatch headers, VerdictBatch verdicts);

    /** Memory that headers are written to without a detour, then handed over once. */
    interface Staging {
        /** The memory: word w of header i at w * {@link #stride} + i. */
        IntBuffer words();

        /** Distance of two words of a header: also the most headers. */
        int stride();

        /**
         * Starts on the headers. The memory is given back when the flight has landed.
         *
         * @param count headers that were written
         * @param spare takes the headers where the CPU has to answer
         */
        Flight submit(int count, HeaderBatch spare, VerdictBatch verdicts);

        /** Gives the memory back without a look-up. */
        void drop();
    }

    /**
     * Memory for a batch. Does not wait.
     *
     * @param headers most headers of the batch
     * @return null where there is none free, or headers had better go by {@link #submit}
     */
    default @Nullable Staging stage(int headers) {
        return null;
    }

    /** Says that no batch comes for a while: what waits for one on a device may leave it. */
    default void rest() {}

    @Override
    default void classify(HeaderBatch headers, VerdictBatch verdicts) {
        submit(headers, verdicts).await();
    }
}
