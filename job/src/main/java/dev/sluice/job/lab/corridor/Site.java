package dev.sluice.job.lab.corridor;

import java.util.List;

/** Where a corridor is measured: a broker, and processes that run the job. */
interface Site extends AutoCloseable {
    /** The broker's address. */
    String bootstrap();

    /** The broker's process, whose CPU time is told apart; none where it is not known. */
    List<ProcessHandle> brokers();

    /** The processes in which the job runs; none: it runs in this one. */
    List<ProcessHandle> workers();

    /** The job as it runs here. */
    Contender job(SluiceContender job);

    @Override
    void close();
}
