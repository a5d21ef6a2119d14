package dev.sluice.lab.soak;

/** Kind of process that is killed. */
enum Fault {
    /** A TaskManager at work, some time after a checkpoint. */
    TASK_MANAGER("TaskManager at work"),

    /** A TaskManager as a checkpoint completes: its verdicts may be stored, and not committed. */
    COMMIT("TaskManager at a commit"),

    /**
     * The JobManager; the job goes on from the newest checkpoint by {@code sluice run --savepoint}.
     */
    JOB_MANAGER("JobManager"),

    /** The broker, which is away for some seconds. */
    BROKER("broker"),

    /** The publisher of rules, which may be in the middle of a transaction. */
    PUBLISHER("publisher of rules");

    private final String words;

    Fault(String words) {
        this.words = words;
    }

    /** As a person reads it. */
    String words() {
        return words;
    }
}
