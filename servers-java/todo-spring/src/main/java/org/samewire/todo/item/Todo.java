package org.samewire.todo.item;

/** An item of the list. */
record Todo(long id, String title, boolean completed) {}
