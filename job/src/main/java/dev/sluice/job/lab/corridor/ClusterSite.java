package dev.sluice.job.lab.corridor;

import dev.sluice.job.cli.ClusterTarget;
import dev.sluice.job.cluster.Member;
import dev.sluice.job.cluster.SubmittedOptions;
import dev.sluice.job.graph.JobOptions;
import dev.sluice.job.lab.backend.Classified;
import dev.sluice.schemas.codec.MalformedMessageException;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A cluster that {@code sluice cluster up} has started: broker, JobManager and TaskManagers. */
record ClusterSite(ClusterTarget cluster) implements Site {
    @Override
    public String bootstrap() {
        return cluster.bootstrap();
    }

    @Override
    public List<ProcessHandle> brokers() {
        return processes(Member::ofBroker);
    }

    @Override
    public List<ProcessHandle> workers() {
        return processes(member -> !member.ofBroker());
    }

    private List<ProcessHandle> processes(Predicate<Member> which) {
        return cluster.members().stream()
                .filter(which)
                .flatMap(member -> member.process().stream())
                .toList();
    }

    @Override
    public Contender job(SluiceContender job) {
        return new Contender() {
            @Override
            public String name() {
                return job.name();
            }

            @Override
            public Running start(Track track) {
                JobOptions options = job.options(track);
                String id =
                        cluster.submit(
                                options,
                                track.parallelism(),
                                new SubmittedOptions(List.of(), options.transactionPrefix(), ""));
                return new Running() {
                    @Override
                    public void requireRunning() throws InterruptedException {
                        cluster.requireRunning(id);
                    }

                    @Override
                    public @Nullable Classified classified(long headers)
                            throws InterruptedException {
                        return new FlinkRest(cluster.web(), id).classified(headers);
                    }

                    @Override
                    public void close() {
                        cluster.cancel(id);
                    }
                };
            }

            @Override
            public int headers(byte[] message) throws MalformedMessageException {
                return job.headers(message);
            }
        };
    }

    @Override
    public void close() {
        // it goes on without the measurement
    }
}
