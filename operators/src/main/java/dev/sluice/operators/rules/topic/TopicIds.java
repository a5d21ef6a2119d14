package dev.sluice.operators.rules.topic;

/** Ids of topics, as a checkpoint holds them and as a topic of the same name has one now. */
public final class TopicIds {
    private TopicIds() {}

    /** Whether a topic is another one than before; no where one of the ids is unknown: empty. */
    public static boolean differ(String before, String now) {
        return !before.isEmpty() && !now.isEmpty() && !before.equals(now);
    }
}
