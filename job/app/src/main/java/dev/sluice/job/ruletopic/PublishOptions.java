package dev.sluice.job.ruletopic;

/**
 * Options of a publisher of rules.
 *
 * @param topic the rules topic
 * @param snapshotEvery changes after which a snapshot follows; 0: four times as many as there are
 *     rules, at least 20,000
 * @param keep what is kept of the history
 * @param publisher who publishes, for the log
 */
public record PublishOptions(String topic, long snapshotEvery, RuleKeep keep, String publisher) {
    /** The defaults for a topic. */
    public static PublishOptions of(String topic) {
        String host = System.getenv().getOrDefault("HOSTNAME", "");
        String user = System.getProperty("user.name", "unknown");
        return new PublishOptions(
                topic, 0, RuleKeep.ALL, host.isEmpty() ? user : user + "@" + host);
    }

    /** These options with other snapshots and another history. */
    public PublishOptions with(long everySoMany, RuleKeep kept) {
        return new PublishOptions(topic, everySoMany, kept, publisher);
    }
}
