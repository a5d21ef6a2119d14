package dev.sluice.job.cli;

/** A command that publishes a version of the rules. */
interface PublishingCommand extends Interruptible {
    @Override
    default String whereItStands() {
        return "'sluice rules log' tells whether its version is published; it is there whole or not at all";
    }
}
