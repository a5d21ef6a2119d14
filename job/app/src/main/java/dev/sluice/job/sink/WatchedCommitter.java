package dev.sluice.job.sink;

import dev.sluice.policy.io.SluiceException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ExecutionException;
import org.apache.flink.api.connector.sink2.Committer;
import org.apache.flink.connector.kafka.sink.KafkaCommittable;
import org.apache.flink.runtime.execution.SuppressRestartsException;
import org.apache.kafka.common.errors.InvalidPidMappingException;

/**
 * Committer that wraps the connector's and fails where the connector gives a transaction up.
 *
 * <p>It asks Kafka whether the transaction was committed before. If it was not, the job ends for
 * good.
 */
@SuppressWarnings("try") // the committer's close() may throw anything
final class WatchedCommitter implements Committer<KafkaCommittable> {
    private final Committer<KafkaCommittable> kafka;
    private final LostTransaction lost;
    private final long restored;

    /**
     * Wraps a committer.
     *
     * @param restored checkpoint from which the job resumed; 0: none
     */
    WatchedCommitter(Committer<KafkaCommittable> kafka, LostTransaction lost, long restored) {
        this.kafka = kafka;
        this.lost = lost;
        this.restored = restored;
    }

    @Override
    public void commit(Collection<CommitRequest<KafkaCommittable>> requests)
            throws IOException, InterruptedException {
        List<Watched> watched = new ArrayList<>();
        requests.forEach(request -> watched.add(new Watched(request)));
        kafka.commit(List.copyOf(watched));
        for (Watched request : watched) {
            request.decide();
        }
    }

    /** Request that holds back the connector's failure until the outcome is known. */
    private final class Watched implements CommitRequest<KafkaCommittable> {
        private final CommitRequest<KafkaCommittable> request;
        private boolean givenUp;

        Watched(CommitRequest<KafkaCommittable> request) {
            this.request = request;
        }

        void decide() throws IOException, InterruptedException {
            if (!givenUp) {
                return;
            }
            KafkaCommittable sent = request.getCommittable();
            String id = sent.getTransactionalId();
            try {
                TransactionFate fate =
                        TransactionFate.of(lost.kafka(), id, sent.getProducerId(), sent.getEpoch());
                if (fate != TransactionFate.COMMITTED) {
                    throw new SuppressRestartsException(
                            new SluiceException(
                                    lost.sentence(
                                            id,
                                            TransactionPool.checkpoint(id).orElse(restored),
                                            fate)));
                }
            } catch (ExecutionException e) { // a restart repeats the question
                throw new IOException(
                        "transaction %s cannot be committed, and Kafka at %s does not say why"
                                .formatted(id, lost.kafka()),
                        e);
            }
            request.signalAlreadyCommitted();
        }

        @Override
        public void signalFailedWithKnownReason(Throwable reason) {
            givenUp = true;
        }

        @Override
        public void signalFailedWithUnknownReason(Throwable reason) {
            if (reason instanceof InvalidPidMappingException) {
                givenUp = true; // Kafka has forgotten the id; a restart would not help
            } else {
                request.signalFailedWithUnknownReason(reason);
            }
        }

        @Override
        public KafkaCommittable getCommittable() {
            return request.getCommittable();
        }

        @Override
        public int getNumberOfRetries() {
            return request.getNumberOfRetries();
        }

        @Override
        public void retryLater() {
            request.retryLater();
        }

        @Override
        public void updateAndRetryLater(KafkaCommittable committable) {
            request.updateAndRetryLater(committable);
        }

        @Override
        public void signalAlreadyCommitted() {
            request.signalAlreadyCommitted();
        }
    }

    @Override
    public void close() throws Exception {
        kafka.close();
    }
}
