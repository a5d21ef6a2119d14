package dev.sluice.job.lab.corridor;

import dev.sluice.job.graph.LocalFlink;

/** A job of an embedded cluster. */
record FlinkRunning(LocalFlink flink) implements Contender.Running {
    @Override
    public void requireRunning() {
        flink.requireRunning();
    }

    @Override
    public void close() {
        flink.close();
    }
}
