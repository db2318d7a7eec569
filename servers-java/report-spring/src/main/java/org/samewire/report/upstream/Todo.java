package org.samewire.report.upstream;

/** An item of the list. */
public record Todo(long id, String title, boolean completed) {}
